"""Memory and launches of the first CUDA device, through the driver's C interface; or of none, which checks launches."""

import ctypes

import numpy as np

from launch_plans import Refused

# Around each piece of memory lie bytes that nobody may change, right up to both of its ends.
GUARD, GUARD_BYTE = 512, 0xA5


class CudaDevice:
    def __init__(self):
        """Raises OSError without driver or device."""
        self.driver = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        if self.driver.cuInit(0) or self.driver.cuDeviceGet(ctypes.byref(device), 0):
            raise OSError("there is no CUDA device")
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        assert code == 0, f"{name} gives error {code}"

    def load(self, program):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), program.ptx.encode() + b"\0")
        return module

    def unload(self, module):
        self.call("cuModuleUnload", module)

    def allocate(self, data):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(data.size))
        self.call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(data.size))
        return address.value

    def free(self, address, data):
        """Puts into `data` what lies there."""
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(data.ctypes.data), ctypes.c_uint64(address), ctypes.c_size_t(data.size))
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def launch(self, module, kernel, grid, block, arguments):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        held = [ctypes.c_uint64(value) for value in arguments]
        pointers = (ctypes.c_void_p * len(held))(*map(ctypes.addressof, held))
        self.call("cuLaunchKernel", function, *grid, *block, 0, None, pointers, None)


class NoDevice:
    """Asserts that each launch could be one."""

    def load(self, program):
        return program

    def unload(self, module):
        pass

    def allocate(self, data):
        return data.ctypes.data

    def free(self, address, data):
        pass

    def launch(self, program, kernel, grid, block, arguments):
        # All arguments are pointers and sizes.
        assert program.parameters[kernel] == [64] * len(arguments), kernel
        assert all(abs(value) < 2**63 for value in arguments), (kernel, arguments)
        assert 0 < grid[0] < 2**31 and grid[1:] == [1, 1], (kernel, grid)
        assert block == [program.threads[kernel], 1, 1] and block[0] <= 1024, (kernel, block)


class Memory:
    """Pieces of a device's memory, each between guards."""

    def __init__(self, device):
        self.device, self.pieces = device, {}

    def allocate(self, size, data=None):
        """What holds no data has bytes of 0xFF, which are NaN as floats."""
        # The size is no multiple of anything, the address is one of 64.
        whole = np.full(size + 2 * GUARD, GUARD_BYTE, np.uint8)
        whole[GUARD:GUARD + size] = 0xFF if data is None else np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        address = self.device.allocate(whole) + GUARD
        self.pieces[address] = whole
        return address

    def close(self):
        """The data of all pieces. Asserts that nothing is written beside one."""
        found = []
        for address, whole in self.pieces.items():
            self.device.free(address - GUARD, whole)
            found.append(whole[GUARD:-GUARD])
        for number, whole in enumerate(self.pieces.values()):
            assert (whole[:GUARD] == GUARD_BYTE).all() and (whole[-GUARD:] == GUARD_BYTE).all(), f"writes beside piece {number}"
        return found


def run(device, module, program, symbols, inputs, types, blocks=None):
    """Outputs of these numpy types and the error record: its state, guard, and values. `inputs`: by name. `blocks`: of
    each grid, in the place of as many as the host says."""
    dims = {name: program.dims_of(text, symbols) for name, text, *_ in program.arguments}
    if min((0, *(dim for each in dims.values() for dim in each))) < 0:
        raise Refused("a dim is negative")
    memory = Memory(device)
    record = memory.allocate(136, np.zeros(136, np.uint8))
    addresses = [memory.allocate(inputs[name].nbytes, inputs[name]) if name in inputs
                 else memory.allocate(int(np.prod(dims[name], dtype=np.int64)) * np.dtype(types[name]).itemsize)
                 for name, *_ in program.arguments]

    def launch(kernel, grid, block, arguments):
        assert arguments[0] == 0
        grid = [blocks, 1, 1] if blocks else grid
        device.launch(module, kernel, grid, block, [record, *arguments[1:]])

    try:
        program.run(symbols, addresses, memory.allocate, launch)
    finally:
        data = memory.close()
    outputs = {name: piece.view(types[name]).reshape(dims[name]) for piece, (name, _, is_output) in
               zip(data[1:], program.arguments) if is_output}
    state, _, guard, count, *values = np.concatenate([data[0][:8].view(np.int32), data[0][8:].view(np.int64)]).tolist()
    return outputs, (state, guard, values[:count])
