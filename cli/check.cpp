// `check`: re-validates certificates and counterexamples. Everything is in checker/.
#include "checker/report/report.hpp"

int main(int argc, char** argv) { return outward_check::run(argc, argv); }
