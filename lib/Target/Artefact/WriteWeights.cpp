//===- Weights as an object file --------------------------------------------------===//
//
// Part of Dyn, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The assembler's `.incbin` reads and keeps the whole file once for each weight.
// Here each weight is copied once, file to file, and begins at a multiple of 64
// bytes wherever it began. Those of contractions are put in panels on the way.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"
#include "dyn/Conversion/KernelCode/PanelLayout.h"
#include "dyn/Dialect/Dyn/IR/DynDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"
#include <map>

using namespace dyn;
using Elf = llvm::object::ELF64LE;

namespace {

constexpr uint64_t kAlignment = 64;
/// Sections of the file, after the empty one.
enum Section : unsigned { Null, Data, Symbols, Strings, NumSections };

struct Weight {
  std::string symbol, path;
  uint64_t offset, length;
  /// Where it lies in the section, which may be where another does.
  uint64_t place;
  /// Bytes in the artefact.
  uint64_t stored;
  /// Set if the elements are to lie in panels; they are row-major in the file.
  std::optional<codegen::PanelLayout> layout;
  llvm::SmallVector<int64_t> shape;
  unsigned elementBytes;
};

} // namespace

static llvm::Error collectWeights(const ArtefactProgram &program, size_t index, const ArtefactOptions &options,
                                  std::vector<Weight> &weights) {
  mlir::ModuleOp module = program.module;
  for (auto global : module.getOps<mlir::LLVM::GlobalOp>()) {
    auto weight = global->getAttrOfType<WeightAttr>(DynDialect::kWeightAttrName);
    if (!weight)
      continue;
    llvm::SmallString<128> path(weight.getFile());
    if (!llvm::sys::path::is_absolute(path) && !options.weightsDirectory.empty()) {
      path = options.weightsDirectory;
      llvm::sys::path::append(path, weight.getFile());
    }
    uint64_t size;
    if (std::error_code error = llvm::sys::fs::file_size(path, size))
      return llvm::createStringError("cannot read weights '%s': %s", path.c_str(), error.message().c_str());
    uint64_t offset = weight.getOffset(), length = weight.getLength();
    if (offset > size || length > size - offset)
      return llvm::createStringError("weights '%s' have %llu bytes, but %llu at offset %llu are needed", path.c_str(),
                                     (unsigned long long)size, (unsigned long long)length, (unsigned long long)offset);
    auto type = mlir::cast<mlir::ShapedType>(weight.getType());
    unsigned elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    auto map = global->getAttrOfType<mlir::AffineMapAttr>(DynDialect::kLayoutAttrName);
    auto layout = map ? codegen::PanelLayout::fromMap(map.getValue()) : std::nullopt;
    uint64_t stored = layout ? layout->countElements(type.getShape()) * elementBytes : length;
    weights.push_back({getWeightSymbol(global.getSymName(), index), path.str().str(), offset, length, /*place=*/0,
                       stored, layout, llvm::to_vector(type.getShape()), elementBytes});
  }
  return llvm::Error::success();
}

/// Is what lies in the artefact the same for both?
static bool areStoredAlike(const Weight &lhs, const Weight &rhs) {
  auto getLayout = [](const Weight &weight) {
    return weight.layout ? std::tuple(true, int64_t(weight.layout->columnDim), int64_t(weight.layout->width))
                         : std::tuple(false, int64_t(0), int64_t(0));
  };
  return lhs.path == rhs.path && lhs.offset == rhs.offset && lhs.length == rhs.length &&
         getLayout(lhs) == getLayout(rhs) && (!lhs.layout || lhs.shape == rhs.shape);
}

/// Gives each weight its place; nothing is stored twice. The bytes of all.
static uint64_t placeWeights(std::vector<Weight> &weights) {
  std::map<std::pair<llvm::StringRef, uint64_t>, llvm::SmallVector<const Weight *, 1>> seen;
  uint64_t bytes = 0;
  for (Weight &weight : weights) {
    llvm::SmallVector<const Weight *, 1> &others = seen[{weight.path, weight.offset}];
    auto same = llvm::find_if(others, [&](const Weight *other) { return areStoredAlike(weight, *other); });
    if (same != others.end()) {
      weight.place = (*same)->place;
      continue;
    }
    weight.place = llvm::alignTo(bytes, kAlignment);
    bytes = weight.place + weight.stored;
    others.push_back(&weight);
  }
  return bytes;
}

/// Writes the elements of a row-major tensor panel by panel.
static void writePanels(const char *from, const Weight &weight, llvm::raw_ostream &os) {
  unsigned columnDim = weight.layout->columnDim, rank = weight.shape.size();
  llvm::SmallVector<int64_t> strides(rank);
  int64_t stride = weight.elementBytes;
  for (unsigned dim = rank; dim-- > 0; stride *= weight.shape[dim])
    strides[dim] = stride;
  int64_t width = weight.layout->width, columns = weight.shape[columnDim];
  int64_t rows = 1;
  for (unsigned dim = 0; dim < rank; ++dim)
    rows *= dim == columnDim ? 1 : weight.shape[dim];
  std::string line(width * weight.elementBytes, '\0');
  for (int64_t first = 0; first < columns; first += width) {
    int64_t used = std::min(width, columns - first);
    std::fill(line.begin() + used * weight.elementBytes, line.end(), '\0');
    for (int64_t row = 0; row < rows; ++row) {
      int64_t offset = first * strides[columnDim], rest = row;
      for (unsigned dim = rank; dim-- > 0;)
        if (dim != columnDim) {
          offset += rest % weight.shape[dim] * strides[dim];
          rest /= weight.shape[dim];
        }
      for (int64_t column = 0; column < used; ++column)
        memcpy(&line[column * weight.elementBytes], from + offset + column * strides[columnDim], weight.elementBytes);
      os << line;
    }
  }
}

static llvm::Error writeWeight(const Weight &weight, llvm::raw_ostream &os) {
  // In pieces, so that no more than one of them is in memory; what changes its order is mapped as a whole.
  const uint64_t kPiece = weight.layout ? weight.length : uint64_t(64) << 20;
  for (uint64_t done = 0; done < weight.length;) {
    uint64_t length = std::min(kPiece, weight.length - done);
    auto piece = llvm::MemoryBuffer::getFileSlice(weight.path, length, weight.offset + done);
    if (!piece)
      return llvm::createStringError("cannot read weights '%s': %s", weight.path.c_str(),
                                     piece.getError().message().c_str());
    if (weight.layout)
      writePanels((*piece)->getBufferStart(), weight, os);
    else
      os << (*piece)->getBuffer();
    done += length;
  }
  return llvm::Error::success();
}

llvm::Expected<bool> dyn::writeWeights(llvm::ArrayRef<ArtefactProgram> programs, const ArtefactOptions &options,
                                       llvm::StringRef path) {
  std::vector<Weight> weights;
  for (auto [index, program] : llvm::enumerate(programs))
    if (llvm::Error error = collectWeights(program, index, options, weights))
      return std::move(error);
  if (weights.empty())
    return false;
  bool isX86 = llvm::Triple(programs.front().cpu.triple).isX86();
  uint64_t dataBytes = placeWeights(weights);

  // The strings, of which sections and symbols share one table.
  std::string strings("\0", 1);
  auto addString = [&](llvm::StringRef string) {
    uint32_t place = strings.size();
    strings += string;
    strings += '\0';
    return place;
  };
  uint32_t sectionNames[NumSections] = {0, addString(kWeightsSectionName), addString(".symtab"), addString(".strtab")};
  std::vector<Elf::Sym> symbols(1);
  memset(&symbols.front(), 0, sizeof(Elf::Sym));
  for (const Weight &weight : weights) {
    Elf::Sym symbol;
    symbol.st_name = addString(weight.symbol);
    symbol.setBindingAndType(llvm::ELF::STB_GLOBAL, llvm::ELF::STT_OBJECT);
    symbol.st_other = llvm::ELF::STV_HIDDEN;
    symbol.st_shndx = Data;
    symbol.st_value = weight.place;
    symbol.st_size = weight.stored;
    symbols.push_back(symbol);
  }

  uint64_t dataOffset = llvm::alignTo(sizeof(Elf::Ehdr), kAlignment);
  uint64_t symbolsOffset = llvm::alignTo(dataOffset + dataBytes, 8);
  uint64_t stringsOffset = symbolsOffset + symbols.size() * sizeof(Elf::Sym);
  uint64_t headersOffset = llvm::alignTo(stringsOffset + strings.size(), 8);

  Elf::Ehdr header;
  memset(&header, 0, sizeof(header));
  memcpy(header.e_ident, llvm::ELF::ElfMagic, 4);
  header.e_ident[llvm::ELF::EI_CLASS] = llvm::ELF::ELFCLASS64;
  header.e_ident[llvm::ELF::EI_DATA] = llvm::ELF::ELFDATA2LSB;
  header.e_ident[llvm::ELF::EI_VERSION] = llvm::ELF::EV_CURRENT;
  header.e_type = llvm::ELF::ET_REL;
  header.e_machine = isX86 ? llvm::ELF::EM_X86_64 : llvm::ELF::EM_AARCH64;
  header.e_version = llvm::ELF::EV_CURRENT;
  header.e_shoff = headersOffset;
  header.e_ehsize = sizeof(Elf::Ehdr);
  header.e_shentsize = sizeof(Elf::Shdr);
  header.e_shnum = NumSections;
  header.e_shstrndx = Strings;

  Elf::Shdr sections[NumSections];
  memset(sections, 0, sizeof(sections));
  auto describe = [&](Section section, uint32_t type, uint64_t offset, uint64_t size, uint64_t alignment) {
    sections[section].sh_name = sectionNames[section];
    sections[section].sh_type = type;
    sections[section].sh_offset = offset;
    sections[section].sh_size = size;
    sections[section].sh_addralign = alignment;
  };
  describe(Data, llvm::ELF::SHT_PROGBITS, dataOffset, dataBytes, kAlignment);
  sections[Data].sh_flags = llvm::ELF::SHF_ALLOC | (isX86 ? llvm::ELF::SHF_X86_64_LARGE : 0);
  describe(Symbols, llvm::ELF::SHT_SYMTAB, symbolsOffset, symbols.size() * sizeof(Elf::Sym), 8);
  sections[Symbols].sh_link = Strings;
  sections[Symbols].sh_info = 1; // the first that is not local
  sections[Symbols].sh_entsize = sizeof(Elf::Sym);
  describe(Strings, llvm::ELF::SHT_STRTAB, stringsOffset, strings.size(), 1);

  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return llvm::createStringError("cannot write '%s': %s", path.str().c_str(), code.message().c_str());
  auto write = [&](const void *data, uint64_t size) { os.write(static_cast<const char *>(data), size); };
  auto padTo = [&](uint64_t offset) { os.write_zeros(offset - os.tell()); };
  write(&header, sizeof(header));
  for (const Weight &weight : weights) {
    // Places grow but for those that were there before.
    if (dataOffset + weight.place < os.tell())
      continue;
    padTo(dataOffset + weight.place);
    if (llvm::Error error = writeWeight(weight, os))
      return std::move(error);
  }
  padTo(symbolsOffset);
  write(symbols.data(), symbols.size() * sizeof(Elf::Sym));
  write(strings.data(), strings.size());
  padTo(headersOffset);
  write(sections, sizeof(sections));
  os.close();
  if (os.has_error()) {
    code = os.error();
    os.clear_error();
    return llvm::createStringError("cannot write '%s': %s", path.str().c_str(), code.message().c_str());
  }
  return true;
}
