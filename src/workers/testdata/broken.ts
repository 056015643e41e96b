throw new Error('this worker never starts');
