import * as compilerPart from '@sinclair/typebox/compiler'
import * as errorsPart from '@sinclair/typebox/errors'

/**
 * The same as `typebox-parts.ts`, for the package: its build puts TypeBox and this project into one
 * file, where loading every part costs nothing.
 */

export { FormatRegistry, Type } from '@sinclair/typebox'

export const compiler = (): typeof compilerPart => compilerPart
export const errors = (): typeof errorsPart => errorsPart
