export { openCachedStorage } from './open-cached-storage.ts'
export type { CachedStorageOptions } from './open-cached-storage.ts'
