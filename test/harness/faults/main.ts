import { causeFault, faults } from './run.ts'

/** `npm run test:faults -- [WORDS…]`: every fault, or those whose names hold one of the words. */
const words = process.argv.slice(2)
const chosen = Object.keys(faults).filter((name) => {
  return words.length === 0 || words.some((word) => name.includes(word))
})
for (const fault of chosen) {
  const { problems, skipped } = await causeFault(fault)
  console.log(`${fault}: ${skipped ?? (problems.length === 0 ? 'it recovers' : 'problems')}`)
  for (const problem of problems) console.error(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
