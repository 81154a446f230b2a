export { compactionRecord } from './compactor.ts'
export type { Egress, Etcd3Options } from './etcd3-options.ts'
export { openEtcd3 } from './open-etcd3.ts'
export { foreignLease } from './wire-values.ts'
