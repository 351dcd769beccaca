import { writeSync } from 'node:fs'

/**
 * Preloaded into the server: says on standard error when its event loop was busy for too long
 * without a break. What counts is the time that the thread has worked, not the time that has
 * passed, so that a busy machine is not blamed on the server.
 */
const limitMs = Number(process.env.LOOP_LIMIT_MS ?? 50)
const everyMs = 5

let last = process.threadCpuUsage()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(last)
  last = process.threadCpuUsage()
  const busyMs = (user + system) / 1000
  if (busyMs >= limitMs) writeSync(2, `event loop busy for ${Math.round(busyMs)} ms\n`)
}, everyMs).unref()
