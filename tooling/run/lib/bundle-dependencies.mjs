import { isBuiltin } from 'node:module'

/** Returns one message for each import of a bundle that is missing from the manifest, and for each unused dependency. */
export function findDependencyProblems(outputs, dependencies) {
  const chunks = outputs.filter(({ type }) => type === 'chunk')
  const files = new Set(chunks.map(({ fileName }) => fileName))
  const imported = new Set(
    chunks
      .flatMap(({ imports, dynamicImports }) => imports.concat(dynamicImports))
      .filter((specifier) => !files.has(specifier) && !isBuiltin(specifier) && !/^[./]/.test(specifier))
      .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0]),
  )
  const named = new Set(Object.keys(dependencies))
  return [
    ...[...imported].filter((name) => !named.has(name)).map((name) => `the bundle imports ${name}, which is not a dependency`),
    ...[...named].filter((name) => !imported.has(name)).map((name) => `the bundle does not import the dependency ${name}`),
  ]
}
