// Users of a package have no use for what only this repository does with it.
export const hooks = {
  beforePacking(manifest) {
    delete manifest.devDependencies
    delete manifest.scripts
    return manifest
  },
}
