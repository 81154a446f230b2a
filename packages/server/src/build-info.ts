import { createGauge } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { VersionInfo } from './version.ts'

/** Exposes the version of the process. */
export function registerBuildInfo(registry: MetricsRegistry, version: VersionInfo): void {
  const info = registry.register(createGauge('kubernetes_build_info', '[BETA] What the process was built from; always 1.'))
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = version
  const git = { git_version: gitVersion, git_commit: gitCommit, git_tree_state: gitTreeState }
  info.with({ major, minor, ...git, build_date: buildDate, go_version: goVersion, compiler, platform }).value = 1
}
