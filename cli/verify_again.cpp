#include "cli/verify_again.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iostream>

#include "cli/verify_solve.hpp"
#include "formats/error.hpp"
#include "formats/exact.hpp"

namespace outward::cli {

namespace {

// The text of the first line that begins with "error: ", without the word.
std::string first_error(const std::string& said) {
  const std::string word = "error: ";
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    if (said.compare(at, word.size(), word) == 0) return said.substr(at + word.size(), end - at - word.size());
    at = end + 1;
  }
  return "";
}

}  // namespace

RunAgain run_again(const std::vector<std::string>& arguments) {
  constexpr std::size_t most_said = 1 << 16;
  std::array<int, 2> results{}, words{};
  if (::pipe(results.data()) != 0 || ::pipe(words.data()) != 0) throw ResourceError("no pipe for another process");
  const pid_t child = ::fork();
  if (child < 0) throw ResourceError("no other process can be started");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(results[1], STDOUT_FILENO);
    ::dup2(words[1], STDERR_FILENO);
    for (const int file : {results[0], results[1], words[0], words[1]}) ::close(file);
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
  }
  ::close(results[1]);
  ::close(words[1]);
  RunAgain run;
  std::string said;
  std::array<char, 4096> buffer{};
  std::array<pollfd, 2> wait{{{results[0], POLLIN, 0}, {words[0], POLLIN, 0}}};
  for (bool passed_on = false; wait[0].fd >= 0 || wait[1].fd >= 0;) {
    if (interrupted && !passed_on) passed_on = ::kill(child, SIGINT) == 0;
    if (::poll(wait.data(), wait.size(), 100) <= 0) continue;
    for (pollfd& from : wait) {
      if (from.fd < 0 || from.revents == 0) continue;
      const ssize_t n = ::read(from.fd, buffer.data(), buffer.size());
      if (n == 0 || (n < 0 && errno != EINTR)) {
        ::close(from.fd);
        from.fd = -1;  // poll passes over it
      } else if (n > 0) {
        const std::string text(buffer.data(), static_cast<std::size_t>(n));
        const bool is_result = &from == wait.data();
        if (!is_result) std::cerr << text << std::flush;
        if (is_result || said.size() < most_said) (is_result ? run.out : said) += text;
      }
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.failed = run.code < 0 ? "the process ended by a signal" : first_error(said);
  if (run.failed.empty()) run.failed = "exit code " + std::to_string(run.code);
  return run;
}

std::vector<std::string> shared_arguments(const Options& o) {
  std::vector<std::string> out;
  const auto add = [&](const char* name, const std::string& value) { out.insert(out.end(), {name, value}); };
  add("--threads", std::to_string(o.threads));
  add("--seed", std::to_string(o.seed));
  add("--max-domains", std::to_string(o.max_domains));
  add("--device", o.device);
  if (!o.semantics.empty()) add("--semantics", o.semantics);
  if (o.timeout > 0) add("--timeout", shortest_decimal(o.timeout));
  if (!o.memory.empty()) add("--memory", o.memory);
  for (const std::string& shape : o.shape_texts) add("--input-shape", shape);
  if (o.quiet) out.emplace_back("--quiet");
  if (o.verbose) out.emplace_back("--verbose");
  return out;
}

AppendedFile::AppendedFile(const std::string& path) : path_(path), out_(path, std::ios::app | std::ios::binary) {
  check();
}

void AppendedFile::append(const std::string& more) {
  out_ << more << std::flush;
  check();
}

void AppendedFile::check() const {
  if (!out_) throw ResourceError("cannot write " + path_);
}

}  // namespace outward::cli
