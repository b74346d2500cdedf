#include "cli/verify_again.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "cli/verify_solve.hpp"
#include "formats/error.hpp"
#include "formats/exact.hpp"

namespace outward::cli {

std::string run_again(const std::vector<std::string>& arguments, int* code) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw ResourceError("no pipe for another process");
  const pid_t child = ::fork();
  if (child < 0) throw ResourceError("no other process can be started");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    std::vector<char*> argv;
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string out;
  std::array<char, 4096> buffer{};
  for (bool passed_on = false;;) {
    if (interrupted && !passed_on) passed_on = ::kill(child, SIGINT) == 0;
    pollfd wait{pipe[0], POLLIN, 0};
    if (::poll(&wait, 1, 100) <= 0) continue;
    const ssize_t n = ::read(pipe[0], buffer.data(), buffer.size());
    if (n == 0 || (n < 0 && errno != EINTR)) break;
    if (n > 0) out.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
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
