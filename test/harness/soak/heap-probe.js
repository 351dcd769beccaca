import { writeSync } from 'node:fs'

/**
 * Preloaded into the server, which runs with --expose-gc: on SIGUSR2 it collects garbage and says
 * how much of the heap is in use. Without that a flat line could not be told from a rising one.
 */
process.on('SIGUSR2', () => {
  globalThis.gc?.()
  writeSync(2, `heap after collection: ${process.memoryUsage().heapUsed}\n`)
})
