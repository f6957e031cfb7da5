//go:build !purego

#include "textflag.h"

// Every loop keeps: Y15 the mask that clears a sign, Y14 atol, Y13 rtol, Y12 the stand-in for a
// reference of zero, Y11 zero. Comparisons are NLE (6), which a NaN satisfies.

// func f16c() bool
TEXT ·f16c(SB), NOSPLIT, $0-1
	MOVL $1, AX
	XORL CX, CX
	CPUID
	SHRL $29, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET

// RELATIVE divides the errors in D by the magnitudes of the expected values at OFFSET, and clears
// the bits of M where the quotient is within rtol. It counts the bits left into CX.
#define RELATIVE(OFFSET, D, M) \
	VANDPS OFFSET(SI), Y15, Y8 \
	VCMPPS $0, Y11, Y8, Y9    \
	VBLENDVPS Y9, Y12, Y8, Y8 \
	VDIVPS Y8, D, Y8          \
	VCMPPS $6, Y13, Y8, Y8    \
	VANDPS Y8, M, M           \
	VMOVMSKPS M, AX           \
	POPCNTL AX, AX            \
	ADDQ AX, CX

// func mismatchesAVX2(a, b *float32, n int, atol, rtol, zero float32) int
TEXT ·mismatchesAVX2(SB), NOSPLIT, $0-48
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), DX
	VBROADCASTSS atol+24(FP), Y14
	VBROADCASTSS rtol+28(FP), Y13
	VBROADCASTSS zero+32(FP), Y12
	VXORPS Y11, Y11, Y11
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15
	XORQ CX, CX

quick:
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VSUBPS (SI), Y0, Y0
	VSUBPS 32(SI), Y1, Y1
	VSUBPS 64(SI), Y2, Y2
	VSUBPS 96(SI), Y3, Y3
	VANDPS Y15, Y0, Y0
	VANDPS Y15, Y1, Y1
	VANDPS Y15, Y2, Y2
	VANDPS Y15, Y3, Y3
	VCMPPS $6, Y14, Y0, Y4
	VCMPPS $6, Y14, Y1, Y5
	VCMPPS $6, Y14, Y2, Y6
	VCMPPS $6, Y14, Y3, Y7
	VORPS Y4, Y5, Y8
	VORPS Y6, Y7, Y9
	VORPS Y8, Y9, Y8
	VMOVMSKPS Y8, AX
	TESTL AX, AX
	JNZ slow

next:
	ADDQ $128, DI
	ADDQ $128, SI
	SUBQ $32, DX
	JNZ quick
	VZEROUPPER
	MOVQ CX, ret+40(FP)
	RET

slow:
	RELATIVE(0, Y0, Y4)
	RELATIVE(32, Y1, Y5)
	RELATIVE(64, Y2, Y6)
	RELATIVE(96, Y3, Y7)
	JMP next

// func errorsAVX2(abs, rel, a, b *float32, n int, zero float32)
TEXT ·errorsAVX2(SB), NOSPLIT, $0-44
	MOVQ abs+0(FP), R8
	MOVQ rel+8(FP), R9
	MOVQ a+16(FP), DI
	MOVQ b+24(FP), SI
	MOVQ n+32(FP), DX
	VBROADCASTSS zero+40(FP), Y12
	VXORPS Y11, Y11, Y11
	VPCMPEQD Y15, Y15, Y15
	VPSRLD $1, Y15, Y15
	XORQ CX, CX

errors:
	VMOVUPS (DI)(CX*4), Y0
	VMOVUPS (SI)(CX*4), Y1
	VSUBPS Y1, Y0, Y0
	VANDPS Y15, Y0, Y0
	VANDPS Y15, Y1, Y1
	VCMPPS $0, Y11, Y1, Y2
	VBLENDVPS Y2, Y12, Y1, Y1
	VDIVPS Y1, Y0, Y3
	VMOVUPS Y0, (R8)(CX*4)
	VMOVUPS Y3, (R9)(CX*4)
	ADDQ $8, CX
	CMPQ CX, DX
	JLT errors
	VZEROUPPER
	RET

// func foldAVX2(values *float32, n int, most float32, l *lanes) (greatest float32, hasNaN bool)
TEXT ·foldAVX2(SB), NOSPLIT, $0-37
	MOVQ values+0(FP), SI
	MOVQ n+8(FP), DX
	VBROADCASTSS most+16(FP), Y0
	MOVQ l+24(FP), DI
	VMOVUPD (DI), Y1
	VMOVUPD 32(DI), Y2
	VXORPS Y3, Y3, Y3
	XORQ CX, CX

fold:
	VMOVUPS (SI)(CX*4), Y4
	VCMPPS $3, Y4, Y4, Y5
	VORPS Y5, Y3, Y3
	VMAXPS Y4, Y0, Y0
	VCVTPS2PD X4, Y5
	VEXTRACTF128 $1, Y4, X4
	VCVTPS2PD X4, Y6
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	ADDQ $8, CX
	CMPQ CX, DX
	JLT fold

	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0x4e, X0, X1
	VMAXPS X1, X0, X0
	VPERMILPS $0xb1, X0, X1
	VMAXPS X1, X0, X0
	VMOVSS X0, greatest+32(FP)
	VMOVMSKPS Y3, AX
	TESTL AX, AX
	SETNE hasNaN+36(FP)
	VZEROUPPER
	RET

// func halvesF16C(dst *float32, src *uint16, n int)
TEXT ·halvesF16C(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), DX
	XORQ CX, CX

halves:
	VCVTPH2PS (SI)(CX*2), Y0
	VMOVUPS Y0, (DI)(CX*4)
	ADDQ $8, CX
	CMPQ CX, DX
	JLT halves
	VZEROUPPER
	RET
