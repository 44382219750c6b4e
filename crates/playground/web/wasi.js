// Runs the program in a worker: stdin and stdout are texts, the clock is that of the browser, and there are no files. This is
// the part of WASI (preview 1) that the program uses; other functions answer that they are not supported.
"use strict";

const WORKER = `
const NOT_SUPPORTED = 52, BAD_FILE = 8, DONE = {};

function run(module, input) {
  let memory, at = 0;
  const output = [];
  const stdin = new TextEncoder().encode(input);
  const view = () => new DataView(memory.buffer);
  // Calls back with each buffer of a list, until it uses less than the whole buffer; returns the bytes used.
  const each = (list, count, use) => {
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const start = view().getUint32(list + 8 * i, true), length = view().getUint32(list + 8 * i + 4, true);
      const used = use(new Uint8Array(memory.buffer, start, length));
      sum += used;
      if (used < length) break;
    }
    return sum;
  };
  const nothing = (count, size) => {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return 0;
  };
  const known = {
    args_get: () => 0,
    args_sizes_get: nothing,
    environ_get: () => 0,
    environ_sizes_get: nothing,
    clock_time_get: (id, _, to) => {
      const milliseconds = id === 0 ? Date.now() : performance.now();
      view().setBigUint64(to, BigInt(Math.round(milliseconds * 1e6)), true);
      return 0;
    },
    fd_prestat_get: () => BAD_FILE,
    fd_read: (file, list, count, to) => {
      if (file !== 0) return BAD_FILE;
      const read = each(list, count, (buffer) => {
        const part = stdin.subarray(at, at + buffer.length);
        buffer.set(part);
        at += part.length;
        return part.length;
      });
      view().setUint32(to, read, true);
      return 0;
    },
    fd_write: (file, list, count, to) => {
      if (file !== 1 && file !== 2) return BAD_FILE;
      const written = each(list, count, (buffer) => {
        output.push(buffer.slice());
        return buffer.length;
      });
      view().setUint32(to, written, true);
      return 0;
    },
    proc_exit: () => { throw DONE; },
    random_get: (start, length) => {
      crypto.getRandomValues(new Uint8Array(memory.buffer, start, length));
      return 0;
    },
    sched_yield: () => 0,
  };
  const wasi_snapshot_preview1 = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1") wasi_snapshot_preview1[name] = known[name] ?? (() => NOT_SUPPORTED);
  }
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1 });
  memory = instance.exports.memory;
  let failure = "";
  try {
    instance.exports._start();
  } catch (error) {
    if (error !== DONE) failure = String(error);
  }
  const decoder = new TextDecoder();
  return output.map((part) => decoder.decode(part, { stream: true })).join("") + failure;
}

onmessage = ({ data: { module, input } }) => postMessage(run(module, input));
`;

// The worker that runs the program; `answer` gets its output.
function start(module, input, answer) {
  const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  worker.onmessage = ({ data }) => {
    worker.terminate();
    answer(data);
  };
  worker.onerror = (event) => answer(event.message);
  worker.postMessage({ module, input });
  return worker;
}
