export { NotWrittenError } from './durability.ts'
export type { Durability, LoadedState, WriteBatch } from './durability.ts'
export { LmdbDurability } from './lmdb-durability.ts'
export { openDurable } from './open-embedded.ts'
