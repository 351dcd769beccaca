import { existsSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { AppOptions } from '../app.ts'
import { reviewConfig } from '../build/review.ts'
import { ConfigError, type Config } from '../config/config.ts'
import {
  deepestFolder,
  isScenarioName,
  readScenarioFolder
} from '../scenarios/scenario-folders.ts'
import type { LoggingServer } from './start.ts'

/** `momock start --watch`: reads configuration and scenario files again when they change. */

/** Parts of a server that is watched. */
export interface WatchedStart {
  /** Configuration that it starts with. */
  settings: Config
  /** Reads the configuration again. */
  config: () => Promise<Config>
  configFile: string | undefined
  start: (config: Config, options: AppOptions) => Promise<LoggingServer>
  options: AppOptions
}

/** Time in which an editor writes its files. */
const settleMs = 100

/** Starts a server, and keeps it as its files say. */
export async function startWatching (parts: WatchedStart): Promise<LoggingServer> {
  const watched = new WatchedServer(parts)
  const server = await watched.start()
  return { ...server, close: () => watched.close() }
}

class WatchedServer {
  readonly #parts: WatchedStart
  #server!: LoggingServer
  /** Configuration of the server as it runs. */
  #settings: Config
  #watchers: FSWatcher[] = []
  #timer: NodeJS.Timeout | undefined
  /** Readings run one after the other. */
  #reading: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor (parts: WatchedStart) {
    this.#parts = parts
    this.#settings = parts.settings
  }

  /** Watches first: what changes right after the line that says ready must not be lost. */
  async start (): Promise<LoggingServer> {
    this.#watch()
    const starting = this.#parts.start(this.#settings, this.#parts.options)
    this.#reading = starting.then(() => {}, () => {})
    try {
      this.#server = await starting
      return this.#server
    } catch (error) {
      this.#isClosed = true
      clearTimeout(this.#timer)
      this.#unwatch()
      throw error
    }
  }

  async close (): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#unwatch()
    await this.#reading
    await this.#server.close()
  }

  /** Watches folders: an editor replaces a file, and a watcher of the file would lose it. */
  #watch (): void {
    const { scenarios } = this.#settings
    const { configFile } = this.#parts
    if (configFile !== undefined) {
      const file = basename(configFile)
      this.#watchFolder(dirname(configFile), (name) => name === file)
    }
    for (const folder of scenarios === undefined ? [] : listFolders(scenarios)) {
      // Also a name without an ending: it may be a new subfolder.
      this.#watchFolder(folder, (name) => isScenarioName(name) || !name.includes('.'))
    }
  }

  #watchFolder (folder: string, isMeant: (name: string) => boolean): void {
    if (!existsSync(folder)) return
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (name !== null && !isMeant(name)) return
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#readLater(), settleMs)
    })
    // A folder that is deleted cannot be watched any more; the next reading says what is missing.
    watcher.on('error', () => watcher.close())
    this.#watchers.push(watcher)
  }

  #unwatch (): void {
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers = []
  }

  #readLater (): void {
    this.#reading = this.#reading.then(() => this.#read()).catch((error: unknown) => {
      this.#server.log.error({ err: error }, 'the files could not be read again')
    })
  }

  async #read (): Promise<void> {
    if (this.#isClosed) return
    const { log, app } = this.#server
    // There may be other subfolders now.
    this.#unwatch()
    this.#watch()
    try {
      const settings = await this.#parts.config()
      const { scenarioLibrary } = await reviewConfig(settings)
      app.scenarioLibrary.problem = undefined
      if (!isDeepStrictEqual(settings, this.#settings)) return await this.#restart(settings)
      app.scenarioLibrary.replaceOwn(scenarioLibrary)
      log.info(`the scenarios were read again: there are ${scenarioLibrary.count}`)
      for (const note of scenarioLibrary.notes) log.warn(note)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const reasons = error.problems.join('; ')
      const problem = `a changed file is wrong, and what was valid stays in use: ${reasons}`
      app.scenarioLibrary.problem = problem
      log.error(problem)
    }
  }

  /** Starts the server again with another configuration, at the same address. */
  async #restart (settings: Config): Promise<void> {
    const { start, options } = this.#parts
    const { log, url } = this.#server
    log.info('the configuration has changed: the server starts again')
    const before = { settings: this.#settings, port: Number(new URL(url).port) }
    await this.#server.close()
    this.#unwatch()
    const begin = async (next: Config): Promise<void> => {
      const port = next.port === 0 ? before.port : next.port
      this.#server = await start({ ...next, port }, { ...options, fresh: false })
      this.#settings = next
    }
    try {
      await begin(settings)
    } catch (error) {
      // Such as a port that is taken.
      const problem = `the new configuration cannot be used: ${(error as Error).message}`
      await begin(before.settings)
      this.#server.app.scenarioLibrary.problem = problem
      log.error(problem)
    }
    this.#watch()
  }
}

/**
 * A folder of scenarios and its subfolders. Each is watched alone: a recursive watcher of Node
 * watches files on Linux, and loses those that an editor replaces.
 */
function listFolders (folder: string, depth = 0): string[] {
  if (!existsSync(folder)) return []
  const { subfolders } = readScenarioFolder(folder)
  const deeper = depth === deepestFolder ? [] : subfolders
  return [folder, ...deeper.flatMap((subfolder) => listFolders(subfolder, depth + 1))]
}
