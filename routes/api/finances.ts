import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { answerWord, Type } from '../../src/lib/typebox.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import type { Finances } from '../../src/services/finances.ts'
import { PathIdentifier } from '../../src/wire/fields.ts'
import type { Balances, CountrySchema, StatementCodec } from '../../src/wire/finances.ts'
import { apiRoute, type ApiScope } from '../http/api-route.ts'
import { replyOk } from '../http/reply.ts'

/** Adds the routes of wallet balances and, where a version has them, of statements. */
export function financeRoutes (api: ApiScope, finances: Finances): void {
  const { balances, statements } = api.wire.finances
  balanceRoutes(api, balances, finances)
  if (statements === undefined) return
  statementRoutes(api, statements, finances)
  fileRoute(api, statements, finances)
}

/** Schema of a path or a query from which no country is taken. */
const NoFields: CountrySchema = Type.Object({})

function balanceRoutes (
  api: ApiScope,
  { paths, answer, write }: Balances,
  finances: Finances
): void {
  for (const { path, params, query } of paths) {
    apiRoute(api, {
      method: 'GET',
      url: path,
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
        params: params ?? NoFields,
        querystring: query ?? NoFields,
        response: { 200: answer }
      },
      handler: async (request) => {
        const { country } = params !== undefined ? request.params : request.query
        const wanted = params === undefined && query === undefined ? undefined : country
        return replyOk(write(await finances.listBalances(request.caller.account, wanted)))
      }
    })
  }
}

function statementRoutes (api: ApiScope, codec: StatementCodec, finances: Finances): void {
  apiRoute(api, {
    method: 'POST',
    url: codec.path,
    config: {
      documentation: {
        id: 'requestStatement',
        summary: 'Have a statement of a wallet made',
        tag: 'finances'
      },
      operation: 'initiate',
      permission: 'initiate'
    },
    schema: { body: codec.request, response: { 200: codec.answer } },
    handler: async (request) => {
      const statement = await finances.requestStatement(
        request.caller.account,
        codec.read(request.body)
      )
      if (isRefusal(statement)) throw new Refused(statement.code, statement.message)
      return replyOk(codec.accepted(statement))
    }
  })

  apiRoute(api, {
    method: 'GET',
    url: `${codec.path}/:statementId`,
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
      response: {
        200: Type.Object({
          status: answerWord('FOUND', 'NOT_FOUND'),
          data: Type.Optional(codec.record)
        })
      }
    },
    handler: async (request) => {
      const view = await finances.findStatement(request.caller.account, request.params.statementId)
      return api.wire.answers.found(view && codec.write(view))
    }
  })
}

const FilePath = Type.Object({ statementId: Type.String(), file: Type.String() })

/** Adds the download of a statement. It needs no token: its address is the secret. */
function fileRoute ({ app }: ApiScope, { path }: StatementCodec, finances: Finances): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get(
    `${path}/:statementId/files/:file`,
    {
      config: { documentation: 'hidden', operation: 'toolkit' },
      schema: { params: FilePath }
    },
    async ({ params: { statementId, file } }, reply) => {
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
