import { readOptions } from '../../support/options.ts'
import { runModel } from './run.ts'
import { openLaboratory } from './system.ts'

/** `npm run test:model -- --runs N --longest N --seed S` */
const { runs, longest, seed } = readOptions({ runs: 300, longest: 40 })
const laboratory = await openLaboratory()
try {
  await runModel(laboratory, { runs, seed, longest })
  console.log(`${runs} runs, and the model was right in all of them`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await laboratory.close()
}
