//===- ONNX messages whose weights stay where they are ----------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// protobuf copies every string. Here the fields around large raw data are merged
// into the messages that they belong to, in the order of the file, which by the
// encoding's rules gives what parsing the whole gives.
//
//===----------------------------------------------------------------------===//

#include "MessageParser.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/DenseSet.h"
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/wire_format_lite.h>
#include <limits>

using namespace dyn::onnx;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using llvm::Error;
using llvm::StringRef;

static CodedInputStream makeStream(StringRef bytes) {
  return CodedInputStream(reinterpret_cast<const uint8_t *>(bytes.data()), static_cast<int>(bytes.size()));
}

namespace {

/// Parses what protobuf would too, and gives up on anything out of the ordinary.
class ParserWithViews {
public:
  explicit ParserWithViews(RawDataViews &views) : views(views) {}

  bool parse(StringRef bytes, Message &message, int depth = 0);

private:
  /// Smaller raw data are copied, smaller messages parsed as a whole.
  static constexpr size_t smallest = 4096;

  bool merge(StringRef bytes, Message &message, int depth);

  RawDataViews &views;
};

} // namespace

bool ParserWithViews::merge(StringRef bytes, Message &message, int depth) {
  CodedInputStream stream = makeStream(bytes);
  stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
  stream.SetRecursionLimit(CodedInputStream::GetDefaultRecursionLimit() - depth);
  return bytes.empty() || (message.MergePartialFromCodedStream(&stream) && stream.ConsumedEntireMessage());
}

bool ParserWithViews::parse(StringRef bytes, Message &message, int depth) {
  if (depth >= CodedInputStream::GetDefaultRecursionLimit())
    return false;
  CodedInputStream stream = makeStream(bytes);
  stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
  const google::protobuf::Reflection &reflection = *message.GetReflection();
  auto *tensor = google::protobuf::DynamicCastToGenerated<::onnx::TensorProto>(&message);
  size_t merged = 0; // so many bytes are in the message
  auto mergeUntil = [&](size_t end) { return merge(bytes.slice(merged, end), message, depth); };
  // Fields that can be there once, and were set here. Whatever comes again would have to be merged with them.
  llvm::SmallDenseSet<int> complete;
  while (static_cast<size_t>(stream.CurrentPosition()) < bytes.size()) {
    auto start = static_cast<size_t>(stream.CurrentPosition());
    uint32_t tag = stream.ReadTagNoLastTag();
    if (tag == 0)
      return false;
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&stream, tag))
        return false;
      continue;
    }
    int number = WireFormatLite::GetTagFieldNumber(tag);
    uint32_t length = 0;
    if (complete.contains(number) || !stream.ReadVarint32(&length))
      return false;
    auto begin = static_cast<size_t>(stream.CurrentPosition());
    if (length > bytes.size() - begin)
      return false;
    bool isRawData = tensor && number == ::onnx::TensorProto::kRawDataFieldNumber;
    const FieldDescriptor *field = message.GetDescriptor()->FindFieldByNumber(number);
    bool isMessage = field && field->type() == FieldDescriptor::TYPE_MESSAGE;
    if (length >= smallest && (isRawData || isMessage)) {
      StringRef content = bytes.substr(begin, length);
      if (!mergeUntil(start))
        return false;
      if (!field->is_repeated())
        complete.insert(number);
      if (isRawData) {
        // Something has to be there for those who ask whether there are data.
        tensor->set_raw_data(std::string(1, '\0'));
        views[tensor] = content;
      } else {
        Message *inner =
            field->is_repeated() ? reflection.AddMessage(&message, field) : reflection.MutableMessage(&message, field);
        if (!parse(content, *inner, depth + 1))
          return false;
      }
      merged = begin + length;
    }
    if (!stream.Skip(static_cast<int>(length)))
      return false;
  }
  return mergeUntil(bytes.size());
}

Error dyn::onnx::parseModel(StringRef bytes, ::onnx::ModelProto &message, RawDataViews *views) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return llvm::createStringError("is larger than the 2 GiB that protobuf reads; keep weights as external data");
  google::protobuf::LogSilencer silence;
  bool isParsed = views && ParserWithViews(*views).parse(bytes, message);
  if (!isParsed) {
    if (views)
      views->clear();
    CodedInputStream stream = makeStream(bytes);
    stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
    if (!message.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
      return llvm::createStringError("is not an ONNX model, or is truncated");
  }
  if (!message.has_graph())
    return llvm::createStringError("is not an ONNX model: it has no graph");
  return Error::success();
}
