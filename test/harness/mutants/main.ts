import { parseArgs } from 'node:util'
import { mutants } from './table.ts'
import { runMutants } from './run.ts'

/** `npm run test:mutants -- [--seconds N] [NAME…]` */
const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '120' } },
  allowPositionals: true
})
const unknown = positionals.filter((name) => !mutants.some((mutant) => mutant.name === name))
if (unknown.length > 0) {
  console.error(`no mutant has the name ${unknown.join(', ')}; the names are:`)
  console.error(mutants.map(({ name }) => `  ${name}`).join('\n'))
  process.exit(1)
}
const chosen = mutants.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const results = await runMutants(chosen, Number(values.seconds) * 1000, ({ mutant, failures }) => {
  for (const [test, failure] of failures) {
    console.log(`${failure === undefined ? 'SURVIVED' : 'detected'} ${mutant.name}: ${test}`)
    if (failure !== undefined) console.log(`         ${failure}`)
  }
})
const survivors = results.filter(({ failures }) =>
  failures.some(([, failure]) => failure === undefined)
)
console.log(`${results.length - survivors.length} of ${results.length} mutants were detected`)
process.exitCode = survivors.length === 0 ? 0 : 1
