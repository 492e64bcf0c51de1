// graphile-worker with the settings of its performance page: a local queue, completions written together.
import { createInterface } from "node:readline";
import { makeWorkerUtils, run } from "graphile-worker";

const [url, command, count] = process.argv.slice(2);
const tell = (facts) => console.log(JSON.stringify(facts));
// Date.now() knows whole milliseconds only.
const now = () => (performance.timeOrigin + performance.now()) / 1000;
const preset = {
  worker: {
    connectionString: url, concurrentJobs: 24, maxPoolSize: 25, fileExtensions: [],
    localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0,
  },
};
const nothing = async ({ sent }) => { if (sent) tell({ waited: now() - sent }); };

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
      await utils.addJob("nothing", { sent: now() });
    }
  }
  await utils.release();
}
