// Rendering of typed errors. Promises: every exception becomes one of the documented exit codes, nothing escapes.
#include "cli/common/errors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

namespace outward::cli {
namespace {

void say(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

// The exit code, unless what was printed got lost.
int printed(int code) {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return code;
  say(std::string("error: cannot write to standard output") +
      (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
  return exit_resource;
}

// Number of single-character insertions, deletions and replacements that turn a into b.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

void collect_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
    collect_names(*sub, names);
  }
}

// The known option or subcommand nearest to a word of the command line that is neither, if one is near enough.
void suggest(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  collect_names(app, names);
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    word = word.substr(0, word.find('='));
    if (word.size() < 3 || std::find(names.begin(), names.end(), word) != names.end()) continue;
    std::string best;
    std::size_t distance = word.rfind("--", 0) == 0 ? 4 : 3;
    for (const std::string& name : names) {
      if (const std::size_t d = edit_distance(word, name); d < distance) {
        distance = d;
        best = name;
      }
    }
    if (!best.empty()) say("did you mean " + best + " (instead of " + word + ")?");
  }
}

}  // namespace

std::string render(const Blocker& blocker) {
  std::string text = "error: ";
  if (!blocker.where.empty()) text += blocker.where + ": ";
  text += blocker.what.empty() ? blocker.code : blocker.what;
  if (!blocker.expected.empty()) text += ": expected " + blocker.expected;
  if (!blocker.found.empty()) text += (blocker.expected.empty() ? ": found " : ", found ") + blocker.found;
  if (!blocker.code.empty()) text += " [" + blocker.code + "]";
  if (!blocker.next.empty()) text += "\n  next: " + blocker.next;
  return text;
}

int report_errors(const std::function<int()>& body) noexcept {
  try {
    try {
      return printed(body());
    } catch (const InputRefused& refused) {
      for (const Blocker& blocker : refused.blockers) say(render(blocker));
      return exit_refused;
    } catch (const UsageError& error) {
      say(std::string("error: ") + error.what());
      return exit_usage;
    } catch (const ResourceError& error) {
      say(std::string("error: ") + error.what());
      return exit_resource;
    } catch (const std::bad_alloc&) {
      say("error: out of memory");
      return exit_resource;
    } catch (const std::exception& error) {
      say(std::string("internal error: ") + error.what());
      return exit_resource;
    }
  } catch (...) {
    return exit_resource;
  }
}

void hold_standard_streams() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

int parse_command_line(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return -1;
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    if (code == 0) return printed(exit_holds);
    suggest(app, argc, argv);
    return exit_usage;
  }
}

}  // namespace outward::cli
