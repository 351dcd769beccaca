import { defineConfig } from 'rolldown'

/**
 * Builds dist: the source in fewer files. What a start loads is in two files, together with
 * TypeBox, because loading 300 small files takes a third of a start. The rest is loaded on first
 * use, as in the source. Other packages stay dependencies.
 */

/** Files of dist. A source file belongs to the first one that fits, and its imports follow it. */
const groups = [
  // The first file of the program loads it alone, so that an old Node can read it.
  { name: 'node-version', test: /\/node-version\.js$/ },
  // Every command loads it. It must not import Fastify.
  { name: 'program', test: /\/src\/(cli\/run|domain\/.+|lib\/(?!logger).+)\.ts$/ },
  { name: 'client', test: /\/src\/client\/client\.ts$/ },
  // A start and `createMomock()` load it.
  { name: 'server', test: /\/src\/(index|server|banner|cli\/(start|start-command))\.ts$/ }
]

/**
 * Packages that go into dist: TypeBox, the bundler's own functions, and the protocol of assistants,
 * which has 90 packages with it as a dependency and 9 files of it are used.
 */
const bundled =
  /^([./\0]|@sinclair\/typebox|@oxc-project\/runtime|@modelcontextprotocol\/sdk|zod|ajv|content-type|fast-deep-equal|fast-uri|json-schema-traverse)/

export default defineConfig({
  input: {
    main: 'src/main.js',
    index: 'src/index.ts',
    // A thread of its own; src/security/signing-thread.ts starts it.
    'signing-worker': 'src/security/signing-worker.ts'
  },
  platform: 'node',
  logLevel: 'warn',
  checks: { ineffectiveDynamicImport: false },
  external: (id) => !bundled.test(id),
  output: {
    dir: 'dist/src',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: groups.map((group, index) => ({ ...group, priority: groups.length - index }))
    }
  }
})
