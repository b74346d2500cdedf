// VNN-LIB 2.0 queries, see v2.hpp.
#include "importers/vnnlib/tokens.hpp"
#include "importers/vnnlib/v2.hpp"

namespace outward::vnnlib {
namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& name) {
  Tokens tokens(text, name, Dialect::v2);
  tokens.next();
  tokens.refuse(tokens.next(), "unsupported-vnnlib-2", "version 2 queries are not supported", "a VNN-LIB 1.0 file",
                "write the property in VNN-LIB 1.0");
}

}  // namespace

V2Summary check_v2(std::string_view text, const std::string& name) { refuse(text, name); }
Formula translate_v2(std::string_view text, const std::string& name, const Sizes&) { refuse(text, name); }

}  // namespace outward::vnnlib
