import { registerHooks } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/**
 * Traces which source files run. Every function of our own source files gets a call at its
 * beginning that notes the file. Import this file before the files that are traced.
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const traced = /^(src|routes|simulator|db)\//

let path: string[] | undefined

const noteFile = (file: string): void => {
  if (path !== undefined && path.at(-1) !== file) path.push(file)
}
Object.assign(globalThis, { noteFile })

/** Runs some work and returns the files it passed through, in order, also more than once. */
export async function traceFiles (work: () => Promise<unknown>): Promise<string[]> {
  const files: string[] = []
  path = files
  try {
    await work()
  } finally {
    path = undefined
  }
  return files
}

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return loaded
    const file = relative(root, fileURLToPath(url))
    if (!traced.test(file)) return loaded
    return { ...loaded, source: addNotes(file, String(loaded.source)) }
  }
})

/** Adds a note at the beginning of every function of a source text. */
function addNotes (file: string, text: string): string {
  const note = `noteFile(${JSON.stringify(file)})`
  const inserts: Array<{ at: number; text: string }> = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const body = node.body as ts.Block | ts.Expression
      if (!ts.isBlock(body)) {
        inserts.push({ at: body.getStart(), text: `(${note}, ` }, { at: body.end, text: ')' })
      } else if (!hasSuperCall(body)) {
        inserts.push({ at: body.getStart() + 1, text: `${note};` })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  let result = text
  for (const { at, text } of inserts.sort((a, b) => b.at - a.at)) {
    result = result.slice(0, at) + text + result.slice(at)
  }
  return result
}

function hasSuperCall ({ statements }: ts.Block): boolean {
  return statements.some((statement) => statement.getText().startsWith('super('))
}
