//===- Models that are nearly right -------------------------------*- C++ -*-===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Bytes that are changed anywhere seldom stay a message. These changes keep one:
// they set, drop, repeat, move and exchange fields through protobuf's reflection.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_FUZZ_IMPORT_MODELMUTATIONS_H
#define DYN_TEST_FUZZ_IMPORT_MODELMUTATIONS_H

#include "onnx/onnx_pb.h"
#include <random>
#include <string>
#include <vector>

namespace dyn::onnx::fuzz {

class ModelMutations {
public:
  ModelMutations(::onnx::ModelProto &model, unsigned seed) : model(model), random(seed) {}

  /// Changes one field of the model, or of any message in it.
  void changeField();
  /// Puts a message of another model in the place of one of its kind, or behind it in the same list.
  void takeFrom(::onnx::ModelProto &other);

private:
  using Message = google::protobuf::Message;
  using Field = google::protobuf::FieldDescriptor;

  /// Below `bound`, which must not be 0.
  size_t choose(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); }
  template <typename List>
  auto &chooseFrom(List &&list) {
    return list[choose(std::size(list))];
  }

  void changeList(Message &message, const Field &field);
  void changeSingle(Message &message, const Field &field);
  void replaceOperator(::onnx::NodeProto &node);
  /// Sets the field, or appends to it.
  void addValue(Message &message, const Field &field);
  std::string makeText();
  uint64_t makeInteger();
  double makeNumber();

  ::onnx::ModelProto &model;
  std::minstd_rand random;
};

} // namespace dyn::onnx::fuzz

#endif // DYN_TEST_FUZZ_IMPORT_MODELMUTATIONS_H
