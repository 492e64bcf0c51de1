// graphile-worker with its local queue, and completions written together, as its performance page suggests.
import { createInterface } from "node:readline";
import { makeWorkerUtils, run } from "graphile-worker";

const [url, command, count] = process.argv.slice(2);
const tell = (facts) => console.log(JSON.stringify(facts));
const silent = { log: () => {} };
const preset = {
  worker: {
    connectionString: url, concurrentJobs: 24, maxPoolSize: 12, pollInterval: 1000, fileExtensions: [],
    localQueue: { size: 500, refetchDelay: { durationMs: 10 } }, completeJobBatchDelay: 0, failJobBatchDelay: 0,
  },
};
const nothing = async ({ sent }) => { if (sent) tell({ waited: Date.now() / 1000 - sent }); };

if (command === "work") {
  const { Logger } = await import("graphile-worker");
  const runner = await run({ preset, taskList: { nothing }, logger: new Logger(() => () => {}) });
  tell({ ready: true });
  process.on("SIGTERM", () => runner.stop().then(() => process.exit(0)));
} else {
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  if (command === "enqueue") {
    const begin = performance.now();
    for (let left = Number(count); left > 0; left -= 5000) {
      const jobs = Array.from({ length: Math.min(5000, left) }, () => ({ identifier: "nothing", payload: {} }));
      await utils.addJobs(jobs);
    }
    tell({ seconds: (performance.now() - begin) / 1000 });
  } else if (command === "enqueue-one") {
    tell({ ready: true });
    for await (const _ of createInterface({ input: process.stdin })) {
      await utils.addJob("nothing", { sent: Date.now() / 1000 });
    }
  }
  await utils.release();
}
