// Exit codes of all programs and the rendering of typed errors on stderr. Only cli/ prints.
#pragma once
#include <functional>
#include <string>

#include "formats/error.hpp"

namespace CLI {
class App;
}

namespace outward::cli {

// DESIGN: the same meanings in every program.
enum ExitCode : int {
  exit_holds = 0,
  exit_violated = 1,
  exit_unknown = 2,
  exit_usage = 3,
  exit_refused = 4,
  exit_resource = 5,
};

// Runs body and returns its exit code; a typed error is written to stderr and turned into its code: InputRefused 4 (one
// line per blocker), UsageError 3, ResourceError and out of memory 5, any other exception 5. If what was printed on
// stdout could not be written, that is said and the code is 5.
int report_errors(const std::function<int()>& body) noexcept;

// Parses argv. Returns -1 if the program should go on, otherwise the exit code: 0 after --help or --version, 3 after a
// malformed command line (message and, for a misspelt option, the nearest known one on stderr).
int parse_command_line(CLI::App& app, int argc, char** argv);

// First in main: files opened later never take the place of a standard stream that is closed. Writing to such a stream
// fails.
void hold_standard_streams();

// "error: where: what; expected …, found … (next)".
std::string render(const Blocker& blocker);

}  // namespace outward::cli
