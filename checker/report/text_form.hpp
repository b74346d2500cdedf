// A readable form of a certificate, and back, byte for byte.
#pragma once
#include <iosfwd>
#include <string>

namespace outward_check {

void print_certificate(const std::string& path, std::ostream& out);  // throws ReadError, FooterFault
void parse_certificate(std::istream& in, std::ostream& out);         // throws ReadError

}  // namespace outward_check
