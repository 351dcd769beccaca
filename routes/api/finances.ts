import type { FastifyInstance } from 'fastify'
import { Type } from '../../src/lib/typebox.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import type { Finances } from '../../src/services/finances.ts'
import { PathIdentifier } from '../../src/wire/fields.ts'
import type { Balances, StatementCodec } from '../../src/wire/finances.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { replyOk, type ApiReply } from '../http/reply.ts'

/**
 * What a generation says about money: the balances of wallets and, where it has them, statements.
 */
export function financeRoutes (app: FastifyInstance, wire: Wire, finances: Finances): void {
  const { balances, statements } = wire.finances
  balanceRoutes(app, balances, finances)
  if (statements === undefined) return
  statementRoutes(app, wire, statements, finances)
  fileRoute(app, statements, finances)
}

function balanceRoutes (
  app: FastifyInstance,
  { paths, answer, write }: Balances,
  finances: Finances
): void {
  for (const { path, params, query } of paths) {
    app.get(
      path,
      {
        config: {
          documentation: {
            id: params === undefined ? 'listWalletBalances' : 'listWalletBalancesOfCountry',
            summary:
              params === undefined
                ? 'What is in the wallets'
                : 'What is in the wallets of one country',
            tag: 'finances'
          },
          operation: 'toolkit',
          permission: 'read'
        },
        schema: {
          ...(params !== undefined && { params }),
          ...(query !== undefined && { querystring: query }),
          response: { 200: answer }
        }
      },
      async (request) => {
        const { country } = (
          params !== undefined ? request.params : query !== undefined ? request.query : {}
        ) as { country?: string }
        return replyOk(write(await finances.listBalances(request.caller.account, country)))
      }
    )
  }
}

function statementRoutes (
  app: FastifyInstance,
  wire: Wire,
  codec: StatementCodec,
  finances: Finances
): void {
  app.post(
    codec.path,
    {
      config: {
        documentation: {
          id: 'requestStatement',
          summary: 'Have a statement of a wallet made',
          tag: 'finances'
        },
        operation: 'initiate',
        permission: 'initiate'
      },
      schema: { body: codec.request, response: { 200: codec.answer } }
    },
    async (request) => {
      const statement = await finances.requestStatement(
        request.caller.account,
        codec.read(request.body)
      )
      if (isRefusal(statement)) throw new Refused(statement.code, statement.message)
      return replyOk(codec.accepted(statement))
    }
  )

  app.get(
    `${codec.path}/:statementId`,
    {
      config: {
        documentation: {
          id: 'findStatement',
          summary: 'How far a statement is, and where to download it',
          tag: 'finances'
        },
        operation: 'find',
        permission: 'read'
      },
      schema: {
        params: Type.Object({ statementId: PathIdentifier }),
        response: { 200: Type.Object({ status: Type.String(), data: Type.Optional(codec.record) }) }
      }
    },
    async (request): Promise<ApiReply> => {
      const view = await finances.findStatement(
        request.caller.account,
        (request.params as { statementId: string }).statementId
      )
      return wire.answers.found(view && codec.write(view))
    }
  )
}

/** The file itself needs no token: its address is the secret. */
function fileRoute (app: FastifyInstance, { path }: StatementCodec, finances: Finances): void {
  app.get(
    `${path}/:statementId/files/:file`,
    { config: { documentation: 'hidden', operation: 'toolkit' } },
    async (request, reply) => {
      const { statementId, file } = request.params as { statementId: string; file: string }
      const content = await finances.readFile(statementId, file)
      if (!Buffer.isBuffer(content)) throw new Refused(content.code, content.message)
      const compressed = file.endsWith('.gz')
      return await reply
        .type(compressed ? 'application/gzip' : 'text/csv; charset=utf-8')
        .header(
          'content-disposition',
          `attachment; filename="statement-${statementId}.csv${compressed ? '.gz' : ''}"`
        )
        .header('cache-control', 'no-store')
        .send(content)
    }
  )
}
