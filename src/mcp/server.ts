import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  WebStandardStreamableHTTPServerTransport as HttpTransport
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { version } from '../lib/package.ts'
import { callTool, listTools } from './tool-call.ts'
import type { CallMock } from './tools.ts'

/**
 * Server of the Model Context Protocol. It is loaded when an assistant connects, because the SDK
 * takes longer to load than the mock.
 */

/** What a connection may do, and how it reaches the mock. */
export interface McpOptions {
  call: CallMock
  allowsChanges: boolean
}

const instructions =
  'momock is a mock of the pawaPay Merchant API. The application under test sends it payments; ' +
  'these tools show what happened, why, and what was wrong with a request or a callback. Begin ' +
  'with list_payments and list_requests. Times follow the clock of the account: on a frozen ' +
  'clock nothing happens until advance_clock.'

function createMcpServer ({ call, allowsChanges }: McpOptions): Server {
  const server = new Server(
    { name: 'momock', version },
    { capabilities: { tools: {} }, instructions }
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools(allowsChanges) }))
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }) => await callTool(params.name, params.arguments ?? {}, call, allowsChanges)
  )
  return server
}

/** Serves standard input and output until the client closes them. */
export async function serveStdio (options: McpOptions): Promise<void> {
  const server = createMcpServer(options)
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
  })
  await server.connect(new StdioServerTransport())
  await closed
  await server.close()
}

/** Answers one HTTP request. It keeps no session, so any server can answer the next one. */
export async function answerHttp (
  request: Request,
  body: unknown,
  options: McpOptions
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const server = createMcpServer(options)
  const transport = new HttpTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const response = await transport.handleRequest(request, { parsedBody: body })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text()
    }
  } finally {
    await server.close()
  }
}
