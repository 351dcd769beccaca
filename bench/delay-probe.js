import { writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Preloaded into the server. On SIGUSR2 it writes the longest delay of the event loop since the
 * last signal, as time and as work of the thread: the work does not depend on other processes.
 */
const everyMs = 5
const histogram = monitorEventLoopDelay({ resolution: everyMs })
histogram.enable()

let last = process.threadCpuUsage()
let busiest = 0
setInterval(() => {
  const { user, system } = process.threadCpuUsage(last)
  last = process.threadCpuUsage()
  busiest = Math.max(busiest, (user + system) / 1000)
}, everyMs).unref()

process.on('SIGUSR2', () => {
  writeSync(2, `longest delay ${histogram.max / 1e6} ms, longest work ${busiest} ms\n`)
  histogram.reset()
  busiest = 0
})
