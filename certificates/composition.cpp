#include "certificates/composition.hpp"

#include <algorithm>

#include "certificates/writer.hpp"

namespace outward {

Accuracy accuracy(const std::vector<ComposedRow>& rows) {
  Accuracy a;
  a.rows = rows.size();
  for (const ComposedRow& row : rows) {
    a.clean += row.claim != "misclassified";
    a.attacked += row.claim == "holds" || row.claim == "unknown";
    a.certified += row.claim == "holds";
  }
  return a;
}

std::string composition_text(const std::string& semantics, const std::string& producer, const Graph& graph,
                             const std::vector<ComposedRow>& rows) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::string text = R"({"record":"composition","format":"outward-composition","version":1,"semantics":)" +
                     json_string(semantics) + ",\"producer\":" + json_string(producer) + "}\n";
  text += R"({"record":"dataset","rows":)" + number(rows.size()) + ",\"inputs\":" + number(graph.nodes.front().size) +
          ",\"outputs\":" + number(graph.nodes.at(graph.output).size) + ",\"graph\":\"" + graph_digest(graph) + "\"}\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ComposedRow& row = rows[i];
    text += R"({"record":"row","row":)" + number(i) + ",\"label\":" + number(row.label) + ",\"property\":\"" +
            row.property + "\",\"claim\":" + json_string(row.claim);
    if (row.claim == "holds" || row.claim == "violated")
      text += ",\"path\":" + json_string(row.path) + ",\"sha256\":\"" + row.sha256 + "\"";
    text += "}\n";
  }
  const Accuracy a = accuracy(rows);
  text += R"({"record":"accuracy","clean":)" + number(a.clean) + ",\"attacked\":" + number(a.attacked) +
          ",\"certified\":" + number(a.certified) + "}\n";
  const std::uint64_t records = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  return text + R"({"record":"footer","records":)" + number(records) + ",\"sha256\":\"" +
         sha256_hex(text.data(), text.size()) + "\"}\n";
}

}  // namespace outward
