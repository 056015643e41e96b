/**
 * Orders test files: first the slowest, as test/sets.mjs lists them, then the others by their duration in earlier runs. Shards
 * (`--shard=1/8`) get equal numbers of the slowest files.
 */
const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { FULL } = require('../sets.mjs');

function rankOf({ path, context }) {
  const place = FULL.indexOf(relative(context.config.rootDir, path));
  return place === -1 ? FULL.length : place;
}

function byRank(left, right) {
  return rankOf(left) - rankOf(right) || (left.path < right.path ? -1 : 1);
}

module.exports = class DearestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((left, right) => rankOf(left) - rankOf(right));
  }

  shard(tests, { shardIndex, shardCount }) {
    return [...tests].sort(byRank).filter((_, index) => index % shardCount === shardIndex - 1);
  }
};
