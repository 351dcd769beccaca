import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'

/** The workflow that publishes the package and the image. */

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const text = read('.github/workflows/publish.yml')
const workflow = parse(text)
const { scripts } = JSON.parse(read('package.json'))
const stepsOf = (job: string): any[] => workflow.jobs[job].steps

t.test('the workflow publishes only tagged versions that pass the tests', async (t) => {
  t.strictSame(workflow.on, { push: { tags: ['v*.*.*'] } })
  t.strictSame(workflow.permissions, { contents: 'read' })
  t.strictSame(Object.keys(workflow.jobs), ['check', 'package', 'image'])
  const commands = stepsOf('check').map(({ run }) => run)
  t.ok(commands.includes('npm run test:full'))
  t.ok(commands.some((run) => run?.includes('GITHUB_REF_NAME')))
  for (const job of ['package', 'image']) {
    t.match(workflow.jobs[job], { needs: 'check', permissions: { 'id-token': 'write' } }, job)
  }
})

t.test('package and image have provenance and a list of their parts', async (t) => {
  const commands = stepsOf('package').map(({ run }) => run ?? '')
  t.ok(commands.some((run) => run.startsWith('npm sbom --omit=dev')))
  t.equal(commands.at(-1), 'npm publish --provenance --access public')
  const { with: image } = stepsOf('image').find(({ uses }) => uses?.startsWith('docker/build-push'))
  t.match(image, { sbom: true, provenance: 'mode=max', push: true, context: '.' })
  t.ok(existsSync(new URL('../../Dockerfile', import.meta.url)))
})

t.test('every step of the workflow can run', async (t) => {
  for (const [name, { steps, 'timeout-minutes': minutes }] of Object.entries<any>(workflow.jobs)) {
    t.ok(minutes > 0, `${name} has a time limit`)
    for (const { uses, run } of steps) {
      t.ok((uses === undefined) !== (run === undefined), 'a step is an action or a command')
      if (uses !== undefined) t.match(uses, /^[\w-]+\/[\w-]+@v\d+$/, 'with a version')
      const [, script] = /^npm (?:run )?(test|build)\b/.exec(run ?? '') ?? []
      if (script !== undefined) t.ok(script in scripts, script)
    }
  }
  t.notMatch(text, /https?:/, 'addresses are variables of the repository')
  const variables = [...text.matchAll(/\b(?:vars|secrets)\.(\w+)/g)].map(([, name]) => name)
  const guide = read('CONTRIBUTING.md')
  for (const name of new Set(variables)) t.ok(guide.includes(`\`${name}\``), `${name} is described`)
})
