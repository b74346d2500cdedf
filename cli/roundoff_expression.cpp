// `roundoff EXPR.fpcore`; see roundoff_commands.hpp.
#include "cli/roundoff_commands.hpp"
#include "formats/error.hpp"

namespace outward::cli {

int roundoff_expression(const RoundoffOptions& options) {
  throw InputRefused(
      Blocker{"no-expressions", options.file, "expressions are not understood by this build", "", "", ""});
}

}  // namespace outward::cli
