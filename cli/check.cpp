// `check`: re-validates certificates and counterexamples. Everything is in checker/.
#include <malloc.h>

#include "checker/report/report.hpp"

int main(int argc, char** argv) {
  // The same large blocks are wanted pass after pass: given back to the system each time they cost more than the
  // passes.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 1 << 26);
  return outward_check::run(argc, argv);
}
