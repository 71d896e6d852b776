//===- A table whose copies share what neither changes ------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_SYMBOLIC_PAGEDTABLE_H
#define DYN_LIB_SYMBOLIC_PAGEDTABLE_H

#include <array>
#include <memory>
#include <vector>

namespace dyn::symbolic {

/// Values by index, each a default one until it is written. A copy costs as much as a list of the pages; a page is
/// copied by the first one that writes to it.
template <typename Value>
class PagedTable {
public:
  const Value &look(size_t index) const {
    static const Value initial;
    size_t page = index / pageSize;
    return page < pages.size() && pages[page] ? (*pages[page])[index % pageSize] : initial;
  }
  Value &get(size_t index) {
    size_t page = index / pageSize;
    if (page >= pages.size())
      pages.resize(page + 1);
    if (!pages[page])
      pages[page] = std::make_shared<Page>();
    else if (pages[page].use_count() > 1)
      pages[page] = std::make_shared<Page>(*pages[page]);
    return (*pages[page])[index % pageSize];
  }
  size_t countPages() const { return pages.size(); }

private:
  static constexpr size_t pageSize = 32;
  using Page = std::array<Value, pageSize>;
  std::vector<std::shared_ptr<Page>> pages;
};

} // namespace dyn::symbolic

#endif // DYN_LIB_SYMBOLIC_PAGEDTABLE_H
