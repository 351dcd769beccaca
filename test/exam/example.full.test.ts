import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { examine } from '../../src/exam/exam.ts'
import { checkConfig } from '../../src/exam/read-config.ts'
import { createMomock } from '../../src/index.ts'
import { limitEachTest } from '../support/limits.ts'

/** The example merchant passes its exam, as the documentation says. */

limitEachTest()

const folder = fileURLToPath(new URL('../../examples/merchant/', import.meta.url))

t.test('the example merchant passes every check that it can be given', async (t) => {
  const config = checkConfig({
    ...parse(readFileSync(`${folder}exam.yaml`, 'utf8')),
    mock: { port: 0 },
    burst: 50
  })
  const { report } = await examine({ config, createMock: createMomock, parallel: 3, folder })
  const others = report.checks.filter(({ verdict }) => verdict !== 'PASSED')
  t.same(
    others.map(({ id, verdict, because }) => `${id} ${verdict}: ${because}`),
    ['REC-02 SKIPPED: it needs drive.payout, a request or command that starts a payout']
  )
  t.equal(report.summary.depth, 2)
})
