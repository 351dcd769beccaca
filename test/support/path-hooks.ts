import { readFileSync } from 'node:fs'
import module from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/**
 * `node --import path-hooks.ts PROGRAM`: each function of the source notes its file when it is
 * entered. `globalThis.path` is the list of the files, in order.
 */

declare global {
  var path: string[]
}

globalThis.path = []

const root = fileURLToPath(new URL('../..', import.meta.url))

module.registerHooks({
  load: (url, context, nextLoad) => {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : ''
    if (!/^(src|routes|simulator|db)\/.*\.ts$/.test(file)) return nextLoad(url, context)
    return { format: 'module-typescript', source: addNotes(file), shortCircuit: true }
  }
})

/** Returns the text of a file whose functions begin with a note. */
function addNotes (file: string): string {
  const text = readFileSync(`${root}/${file}`, 'utf8')
  const note = `globalThis.path.push(${JSON.stringify(file)})`
  const insertions: Array<[at: number, text: string]> = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const body = node.body as ts.Node
      if (ts.isBlock(body)) insertions.push([body.getStart() + 1, `${note};`])
      else insertions.push([body.getStart(), `(${note}, `], [body.getEnd(), ')'])
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true))
  return insertions
    .map((insertion, n) => [...insertion, n] as const)
    .sort(([a, , n], [b, , m]) => b - a || m - n)
    .reduce((whole, [at, added]) => whole.slice(0, at) + added + whole.slice(at), text)
}
