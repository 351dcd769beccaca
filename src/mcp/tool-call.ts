import { tools, type CallMock, type Tool } from './tools.ts'

/** Calls of tools, and the list of tools. */

/** Result of a tool: a text, and whether it is an error. */
export interface ToolResult {
  [field: string]: unknown
  content: Array<{ type: 'text'; text: string }>
  isError?: boolean
}

/** Describes the tools that a client may call. */
export function listTools (allowsChanges: boolean) {
  return tools
    .filter(({ changes }) => changes !== true || allowsChanges)
    .map(({ name, description, in: parts, changes = false }) => {
      const schemas = Object.values(parts)
      const required = schemas.flatMap((schema) => schema.required ?? [])
      return {
        name,
        description,
        inputSchema: {
          type: 'object' as const,
          properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
          ...(required.length > 0 && { required }),
          additionalProperties: false
        },
        annotations: {
          readOnlyHint: !changes,
          destructiveHint: name === 'reset',
          openWorldHint: false
        }
      }
    })
}

/** Calls a tool. What the admin API refuses is a result with its message, not a failure. */
export async function callTool (
  name: string,
  given: Record<string, unknown>,
  call: CallMock,
  allowsChanges: boolean
): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === name)
  try {
    if (tool === undefined) throw new Error(`there is no tool '${name}'; tools/list names them`)
    if (tool.changes === true && !allowsChanges) throw new Error(explainReadOnly(name))
    const { path, body } = writeCall(tool, { ...tool.preset, ...given })
    const answer = (await call(tool.method, path, body)) ?? { done: true }
    const complete = (await tool.complete?.(answer, call)) ?? answer
    return { content: [{ type: 'text', text: JSON.stringify(complete) }] }
  } catch (error) {
    return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
  }
}

function explainReadOnly (name: string): string {
  return (
    `${name} changes the mock, and this connection only reads; start 'momock mcp' with ` +
    '--allow-changes, or add ?allowChanges=true to the URL'
  )
}

/** Puts each argument into the path, the query or the body. The admin API judges them. */
function writeCall (
  { method, path, in: parts }: Tool,
  given: Record<string, unknown>
): { path: string; body?: object } {
  const inPath = Object.keys(parts.path?.properties ?? {})
  const others = Object.entries(given).filter(([name]) => !inPath.includes(name))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (given[name] === undefined) throw new Error(`${name} is missing: ${describe(parts, name)}`)
    return encodeURIComponent(String(given[name]))
  })
  if (method !== 'GET') return { path: filled, body: Object.fromEntries(others) }
  const query = others.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return { path: query.length === 0 ? filled : `${filled}?${query.join('&')}` }
}

function describe (parts: Tool['in'], name: string): string {
  return String(parts.path?.properties[name]?.description ?? 'it is part of the path')
}
