import { readFileSync } from 'node:fs'

/**
 * Preloaded into the server: its machine's clock is ahead by as many milliseconds as the file says
 * that SHIFT_CLOCK_BY names. SIGUSR2 has the file read again.
 */
const file = process.env.SHIFT_CLOCK_BY ?? ''
const realNow = Date.now
const readShift = () => Number(readFileSync(file, 'utf8'))
let shift = readShift()
process.on('SIGUSR2', () => {
  shift = readShift()
})
Date.now = () => realNow() + shift
