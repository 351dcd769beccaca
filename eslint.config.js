import neostandard from 'neostandard'

const clockOnly = 'Time is an argument: only src/lib/clock.ts reads the system time.'
const idsOnly = 'Randomness is an argument: see src/lib/ids.ts.'
const browserGlobals = [
  'window',
  'document',
  'location',
  'fetch',
  'performance',
  'EventSource',
  'DOMParser',
  'CSS',
  'URL',
  'URLSearchParams',
  'FormData',
  'navigator'
]

export default [
  ...neostandard({ ts: true, ignores: ['dist', 'data', '.tap', 'node_modules'] }),
  {
    files: ['{src,routes,simulator,db,test,bench,tools,examples}/**/*.{ts,js,mjs}', '*.js'],
    rules: {
      // Exceptions: URLs, regular expressions and encoded values, which must not be split.
      '@stylistic/max-len': [
        'error',
        {
          code: 100,
          ignoreUrls: true,
          ignoreRegExpLiterals: true,
          ignorePattern: "'[\\w+/=:-]{80,}'"
        }
      ]
    }
  },
  {
    // A schema and its type have one name. The compiler reports what is declared twice.
    files: ['{src,routes,simulator,db,test,tools}/**/*.ts'],
    rules: { '@typescript-eslint/no-redeclare': 'off' }
  },
  {
    // A table of tests is one long function, so tests are left out.
    files: ['{src,routes,simulator,db,examples}/**/*.{ts,js,mjs}'],
    rules: {
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }]
    }
  },
  {
    files: ['src/**/*.ts', 'routes/**/*.ts', 'simulator/**/*.ts', 'db/**/*.ts'],
    ignores: ['src/lib/clock.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: clockOnly },
        { object: 'performance', property: 'now', message: clockOnly },
        { object: 'process', property: 'hrtime', message: clockOnly },
        { object: 'Math', property: 'random', message: idsOnly }
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: clockOnly
        }
      ]
    }
  },
  {
    // Many test files run in one process, see test/groups.
    files: ['test/**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'Program > ExpressionStatement > CallExpression[callee.object.name="t"]' +
            '[callee.property.name="setTimeout"]',
          message: 'It limits all files of a group: use limitEachTest() of test/support/limits.ts.'
        },
        {
          selector:
            'CallExpression[callee.property.name="match"] > :matches(ObjectExpression, ' +
            'ArrayExpression) ArrayExpression[elements.length=0], ' +
            'CallExpression[callee.property.name="match"] > ArrayExpression[elements.length=0]',
          message: 'In t.match, [] fits every list: write { length: 0 }, or compare with same().'
        }
      ]
    }
  },
  {
    files: ['routes/assets/*.js'],
    languageOptions: {
      sourceType: 'script',
      globals: Object.fromEntries(browserGlobals.map((name) => [name, 'readonly']))
    }
  }
]
