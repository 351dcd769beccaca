import { runFolder } from './group.ts'

await runFolder('api')
