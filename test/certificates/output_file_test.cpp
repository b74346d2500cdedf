// Files appear whole or not at all; what stands in the way is known before; which names are UTF-8.
#include "certificates/output_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "formats/error.hpp"

using namespace outward;

namespace {

struct Folder {
  std::string path = std::filesystem::temp_directory_path().string() + "/outward-output-" + std::to_string(::getpid());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  long files() const { return std::distance(std::filesystem::directory_iterator(path), {}); }
};

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("files appear whole or not at all") {
  const Folder folder;
  for (const std::string text : {"content", "", "less"}) {
    CHECK(obstacle_to_saving(folder / "a").empty());
    save_file(folder / "a", text);
    CHECK(content(folder / "a") == text);
  }
  CHECK(folder.files() == 1);
}

TEST_CASE("what cannot be written is known before and left alone") {
  const Folder folder;
  std::filesystem::create_symlink("loop", folder / "loop");
  std::filesystem::create_symlink("missing/b", folder / "dangling");
  for (const std::string& path : {folder / "missing/b", folder / "dangling", folder / "loop", folder / "new/",
                                  folder.path, std::string(), folder / std::string(300, 'x')}) {
    CAPTURE(path);
    CHECK(!obstacle_to_saving(path).empty());
    CHECK_THROWS_AS(save_file(path, "x"), ResourceError);
  }
  CHECK(folder.files() == 2);
}

TEST_CASE("links are followed; what is no regular file stays what it is") {
  const Folder folder;
  std::filesystem::create_symlink("target", folder / "link");
  CHECK(is_regular_or_new(folder / "link"));
  save_file(folder / "link", "one");
  save_file(folder / "link", "two");
  CHECK(content(folder / "target") == "two");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  std::filesystem::create_symlink("/dev/null", folder / "null");
  CHECK(!is_regular_or_new(folder / "null"));
  CHECK(obstacle_to_saving(folder / "null").empty());
  save_file(folder / "null", "x");
  std::filesystem::create_symlink("/dev/full", folder / "full");
  CHECK_THROWS_AS(save_file(folder / "full", "x"), ResourceError);
  CHECK(std::filesystem::is_symlink(folder / "null"));
  CHECK(std::filesystem::is_symlink(folder / "full"));
  CHECK(folder.files() == 4);
}
