//===- Places that moved elements come from -----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DimTables.h"
#include "Strides.h"
#include <limits>

using namespace mlir;
using namespace dyn;
using namespace dyn::reference;

Table reference::getRun(int64_t offset, int64_t count, int64_t step) {
  Table table(count);
  for (int64_t i = 0; i < count; ++i)
    table[i] = offset + i * step;
  return table;
}

Result reference::allocateBeforeTables(Operation *op, Type elementType, ArrayRef<int64_t> dims) {
  Result result = allocate(op, elementType, dims);
  if (failed(result) || result->getNumElements() == 0 ||
      llvm::all_of(dims, [](int64_t dim) { return dim <= std::numeric_limits<uint32_t>::max(); }))
    return result;
  return emitError(op) << "there is no memory for the places of a tensor of dims " << print(dims);
}

Result reference::select(Operation *op, const ReferenceTensor &operand, ArrayRef<Table> tables,
                         const ReferenceTensor *fill) {
  Dims dims = llvm::map_to_vector(tables, [](const Table &table) { return static_cast<int64_t>(table.size()); });
  Result result = allocate(op, operand.getElementType(), dims);
  if (failed(result) || result->getNumElements() == 0)
    return result;
  if (dims.empty())
    return operand;
  if (fill && fill->getNumElements() != 1)
    return emitError(op) << "what it fills up with has the dims " << print(fill->getDims()) << ", expected one element";
  Dims strides = reference::getStrides(operand.getDims());
  // Rows of the last dim are copied one after the other; the dims before it count like an odometer.
  const Table &row = tables.back();
  Dims position(dims.size() - 1, 0);
  dispatchWidth(operand.getElementBytes(), [&](auto width) {
    using T = decltype(width);
    const T *in = operand.getElements<T>().data();
    T *out = result->template getMutableElements<T>();
    T filling = fill ? fill->getElements<T>()[0] : T(0);
    for (int64_t rows = result->getNumElements() / dims.back(); rows > 0; --rows) {
      int64_t offset = 0;
      bool inside = true;
      for (size_t dim = 0; dim < position.size(); ++dim) {
        int64_t place = tables[dim][position[dim]];
        inside &= place >= 0;
        offset += place * strides[dim];
      }
      for (int64_t place : row)
        *out++ = inside && place >= 0 ? in[offset + place] : filling;
      for (size_t dim = position.size(); dim-- > 0;) {
        if (++position[dim] < dims[dim])
          break;
        position[dim] = 0;
      }
    }
  });
  return result;
}
