/** `service_cpu_cores{process="api"}`: of one of the processes that the service is. */
const PROCESS = /^service_[a-z_]+\{process="(.*)"\}$/;

export function isOfProcess(name: string): boolean {
  return PROCESS.test(name);
}

/** The process whose value it is; empty where it is none of a process. */
export function processName(name: string): string {
  return PROCESS.exec(name)?.[1] ?? '';
}
