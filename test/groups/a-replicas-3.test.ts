import { runReplicas } from './replicas.ts'

await runReplicas(3)
