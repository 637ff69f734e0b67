// Loaded before a program (`node --expose-gc --import`): collects its garbage at SIGUSR2, so that what is left is what it needs.
import { isMainThread } from 'node:worker_threads';

if (isMainThread)
  process.on('SIGUSR2', () => {
    // Twice: what a finalizer of the first frees is free after the second.
    globalThis.gc?.();
    setTimeout(() => globalThis.gc?.(), 100).unref();
  });
