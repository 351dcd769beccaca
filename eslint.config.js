import neostandard from 'neostandard'

const clockOnly = 'Time is an argument: only src/lib/clock.ts asks the machine.'

export default [
  ...neostandard({ ts: true, ignores: ['dist', 'data', '.tap', 'node_modules'] }),
  {
    files: ['src/**/*.ts', 'routes/**/*.ts', 'simulator/**/*.ts', 'db/**/*.ts'],
    ignores: ['src/lib/clock.ts'],
    rules: {
      'no-restricted-properties': ['error',
        { object: 'Date', property: 'now', message: clockOnly },
        { object: 'performance', property: 'now', message: clockOnly },
        { object: 'process', property: 'hrtime', message: clockOnly },
        { object: 'Math', property: 'random', message: 'Randomness is an argument: see src/lib/ids.ts.' }
      ],
      'no-restricted-syntax': ['error', { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: clockOnly }]
    }
  },
  {
    files: ['routes/assets/*.js'],
    languageOptions: { sourceType: 'script', globals: { window: 'readonly', document: 'readonly', location: 'readonly', fetch: 'readonly', performance: 'readonly', EventSource: 'readonly', DOMParser: 'readonly', CSS: 'readonly', URL: 'readonly', URLSearchParams: 'readonly' } }
  }
]
