import t from 'tap'
import { traceFiles } from '../support/trace.ts'

/**
 * Path of one POST /v2/deposits through our source files, measured at run time: files, moves from
 * one file to another, and returns to a file that was left before.
 */

const most = { files: 25, moves: 40, returns: 15 }

const { build } = await import('../support/helper.ts')
const { requests } = await import('../support/examples.ts')

t.test('a deposit passes through few files', async (t) => {
  const { call } = await build(t, { clock: 'frozen' })
  const initiate = async (): Promise<void> => {
    const { body } = await call('POST', '/v2/deposits', requests.v2.deposit!())
    t.match(body, { status: 'ACCEPTED' })
  }
  // The first request compiles schemas and loads scenarios.
  await initiate()
  const path = await traceFiles(initiate)
  const files = [...new Set(path)]
  const moves = path.length - 1
  const returns = path.length - files.length
  t.comment(`${files.length} files, ${moves} moves, ${returns} returns\n${path.join('\n')}`)
  t.ok(files.includes('routes/api/payments.ts') && files.includes('db/ledger.ts'), 'it is traced')
  t.ok(files.length <= most.files, `${files.length} files, at most ${most.files}`)
  t.ok(moves <= most.moves, `${moves} moves, at most ${most.moves}`)
  t.ok(returns <= most.returns, `${returns} returns, at most ${most.returns}`)
})
