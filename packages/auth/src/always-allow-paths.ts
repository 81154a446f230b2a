import { noOpinion, noRules } from './authorizer.ts'
import type { Authorizer, Decision } from './authorizer.ts'

/** Non-resource paths that everyone may ask for. One that ends in `*` stands for all that begin with what is before it. Throws on a `*` elsewhere. */
export function createAlwaysAllowPathsAuthorizer(paths: readonly string[]): Authorizer {
  const allow: Decision = { decision: 'allow', reason: '' }
  const exact = new Set<string>()
  const prefixes: string[] = []
  for (const path of paths) {
    const bare = withoutSlash(path)
    const star = bare.indexOf('*')
    if (star >= 0 && star !== bare.length - 1)
      throw new Error(`only a trailing * is allowed in a path that is always allowed: ${JSON.stringify(path)}`)
    if (star >= 0) prefixes.push(bare.slice(0, -1))
    else exact.add(bare)
  }
  return {
    authorize: ({ info }) => {
      if (info.isResourceRequest) return noOpinion
      const path = withoutSlash(info.path)
      return exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)) ? allow : noOpinion
    },
    rulesFor: () => ({ ...noRules, nonResourceRules: paths.length === 0 ? [] : [{ verbs: ['*'], nonResourceURLs: [...paths] }] }),
  }
}

function withoutSlash(path: string): string {
  return path.startsWith('/') ? path.slice(1) : path
}
