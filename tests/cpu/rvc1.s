.option norvc.space 4096 sw t6, 64(sp).space 4096
